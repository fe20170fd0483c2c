#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum topo: exact bounds and bottlenecks of known machines, files against SPECs, pictures, hwloc, refusals.
set -u

. "$SOURCE/tests/cli/scratch"

topo() { # CODE ARGUMENT...
	want=$1
	shift
	timeout 60 "$TOTUM" topo "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum topo $*: exit code $code instead of $want"
	[ "$want" -eq 0 ] || [ "$(grep -vc '^Try ' err)" -eq 1 ] || fail "totum topo $*: not one sentence"
}

has() { # TEXT
	grep -qF -e "$1" out || fail "the output lacks \"$1\""
}

says() { # TEXT
	grep -qF -e "$1" err || fail "the error lacks \"$1\""
}

lambda() { # SPEC FRACTION UNIT LIMIT
	topo 0 "$1"
	has "lambda     $2 blocks per $3 "
	has "limit      $4"
}

lambda ring:8 7/2 10GB/s "7 blocks must enter r0 over 2 links of 20GB/s together"
lambda line:8,rate=1 7 1GB/s "7 blocks must enter r0 over 1 link of 1GB/s: r1>r0"
lambda torus:3x3x3 13/3 10GB/s "26 blocks must enter r0 over 6 links"
lambda dgx1 7/6 25GB/s "7 blocks must enter"
lambda fattree:4x4,host=2,uplink=1 12 1GB/s "12 blocks must enter leaf0, r0, r1, r2, r3 over 1 link of 1GB/s: core>leaf0"
lambda a100:2 15/13 25GB/s "15 blocks must enter r0 over 2 links of 325GB/s together"
lambda mi250:2 15/83 2GB/s "30 blocks must enter r0, r1 over 7 links of 332GB/s together"
has "354.13GB/s of result a second"
lambda 2x4 4 1250MB/s "4 blocks must leave host0, r0, r1, r2, r3 over 1 link of 1250MB/s: host0>core"
lambda ring:1 0 1B/s "nothing has to move"

topo 0 ring:8 --collective allreduce --bytes 8M
has "allreduce  bound 736.0032us = 2us + 734.0032us for 8M"
topo 0 torus:1000x1000
has "torus of 1000000 ranks, too large to be drawn"
has "lambda     999999/4 blocks per 10GB/s (by symmetry)"

# Drawings.
topo 0 torus:3x3
has "-- r3 -- r4 -- r5 --"
topo 0 hosts:2x3
has '|  `- 10GB/s r[0-2]'
topo 0 boxes:2x8
has "r[0-7]: 25GB/s core, 300GB/s box0"
topo 0 ring:100 --width 80
has "r99: 10GB/s r0 r98"

# The files of the folder say which SPEC they are the same as.
for file in "$SOURCE"/topologies/*.topo; do
	spec=$(sed -n 's/^# The same as: //p' "$file")
	topo 0 "$file" --text
	cp out first
	[ -z "$spec" ] || { topo 0 "$spec" --text; cmp -s out first || fail "$file is not $spec"; }
	# written and read again, it is the same
	cp first again.topo
	topo 0 again.topo --text
	cmp -s out first || fail "$file changes when it is written and read"
done

# Pictures are well formed and name what they show.
for spec in ring:8 torus:3x4 hypercube:4 2x4 boxes:2x8 dragonfly:3,p=2 mi250:1 "$SOURCE"/topologies/shared-nic.topo; do
	topo 0 "$spec" --svg picture.svg
	[ ! -s out ] || fail "$spec: --svg FILE writes to the standard output too"
	grep -q 'must enter\|must leave' picture.svg || fail "$spec: the picture does not name the bottleneck"
	grep -q 'stroke-dasharray' picture.svg || fail "$spec: no link is dashed"
	[ "$(tail -n 1 picture.svg)" = "</svg>" ] || fail "$spec: the picture has no end"
	! command -v xmllint >/dev/null || xmllint --noout picture.svg || fail "$spec: the picture is no XML"
	topo 0 "$spec" --dot picture.dot
	! command -v dot >/dev/null || dot -Tsvg picture.dot >/dev/null || fail "$spec: Graphviz refuses the graph"
	topo 0 "$spec" --json picture.json
	! command -v python3 >/dev/null || python3 -m json.tool picture.json >/dev/null || fail "$spec: the JSON is none"
done
topo 0 ring:4 --json -
has '"lambda": "3/2"'
has '"unit": 10000000000'

# Broken files: the place and a sentence.
printf 'topology t\nrank a b\nlink a b 1GB/s\n' >broken.topo
topo 2 broken.topo
says "broken.topo:3: a link needs two ends, a rate and a start-up time"
printf 'topology t\nrank a b\nlnik a b 1GB/s 1us\n' >broken.topo
topo 2 broken.topo
says "broken.topo:3: 'lnik' is not a statement, did you mean link"
printf 'topology t\nrank a b c\nlink a b 1GB/s 1us\n' >broken.topo
topo 2 broken.topo
says "no links lead from rank"
topo 1 nosuch.topo
says "cannot open the topology nosuch.topo: No such file"
topo 2 rnig:8
says "did you mean ring?"
topo 2 ring
says "its size is missing; write ring:8"
topo 2 ring:8 --collective allgahter
topo 2 torus:1000x1000 --svg -
says "too many for a picture"
topo 2 torus:1000x1000 --text
topo 2 mesh:2000x2000
says "too large to be laid out"
topo 2 ring:8 ring:9
topo 2 ring:8 --svg a --dot b

# The inside of a host: two packages of two caches of two cores.
cat >node.xml <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2" local_memory="1073741824"/>
    <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3">
      <object type="Core" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4">
        <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5"/>
      </object>
      <object type="Core" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6">
        <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7"/>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8">
      <object type="Core" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="9">
        <object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="10"/>
      </object>
      <object type="Core" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="11">
        <object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="12"/>
      </object>
    </object>
    <object type="Bridge" gp_index="18" bridge_type="0-1" depth="0" bridge_pci="0000:[00-02]">
      <object type="Bridge" gp_index="19" bridge_type="1-1" depth="1" bridge_pci="0000:[01-02]" pci_busid="0000:00:01.0" pci_type="0604 [8086:1901] [0000:0000] 07" pci_link_speed="31.507692">
        <object type="PCIDev" gp_index="20" pci_busid="0000:01:00.0" pci_type="0302 [10de:1db4] [10de:1214] a1" pci_link_speed="15.753846">
          <object type="OSDev" gp_index="21" name="cuda0" subtype="CUDA" osdev_type="5"/>
          <object type="OSDev" gp_index="22" name="nvml0" subtype="NVML" osdev_type="1"/>
        </object>
        <object type="PCIDev" gp_index="23" pci_busid="0000:02:00.0" pci_type="0302 [10de:1db4] [10de:1214] a1" pci_link_speed="0.000000">
          <object type="OSDev" gp_index="24" name="cuda1" subtype="CUDA" osdev_type="5"/>
        </object>
      </object>
    </object>
  </object>
</topology>
END
if timeout 60 "$TOTUM" topo node.xml >out 2>err; then
	has "node: 4 ranks on 1 host, 3 switches, 12 links"
	has '|  `- 10GB/s Core.[0-1]'
	topo 0 hwloc:node.xml,core=5,package=2GB/s
	has "2 blocks must enter Core.0, Core.1, Package.0 over 1 link of 2GB/s: Machine.0>Package.0"
	topo 0 hwloc:node.xml,ranks=package
	has "node: 2 ranks"
	topo 0 hwloc:node.xml,ranks=gpu,pci=8
	has "node: 2 ranks on 1 host, 1 switch, 4 links"
	has "2 of 15754MB/s"
	has "2 of 8GB/s"
	topo 2 hwloc:node.xml,ranks=cores
	says "is none of core, pu, numa, package, gpu"
	topo 2 hwloc:node.xml,cor=5
	says "did you mean core"
	# This host: in letters, as a picture, for Graphviz, as JSON, and as a file that reads the same.
	topo 0 hwloc:
	cp out first
	topo 0
	cmp -s out first || fail "totum topo is not totum topo hwloc:"
	has "rates      assumed"
	topo 0 hwloc:,core=5
	! grep -q "^rates" out || fail "rates that were given are called assumed"
	topo 0 --svg host.svg
	[ "$(tail -n 1 host.svg)" = "</svg>" ] || fail "the picture of this host has no end"
	topo 0 --dot host.dot
	grep -q '^digraph "this-host"' host.dot || fail "this host is no graph"
	topo 0 --json host.json
	grep -q '"nranks": [1-9]' host.json || fail "this host has no ranks in JSON"
	topo 0 --text
	cp out host.topo
	topo 0 host.topo --text
	cmp -s out host.topo || fail "this host changes when it is written and read"
	mkdir without
	echo none >without/libhwloc.so.15
	LD_LIBRARY_PATH=$PWD/without${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} topo 2
	says "totum topo: hwloc is not on this machine"
	says "; install libhwloc 2"
	# hwloc itself forgets some memory when it refuses a file
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
	head -c 900 node.xml >cut.xml
	topo 2 cut.xml
	says "cut.xml:1: hwloc cannot read it"
else
	grep -q "built without hwloc" err || fail "hwloc's XML is refused for another reason"
fi

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
