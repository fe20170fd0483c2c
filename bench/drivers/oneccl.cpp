/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oneccl - oneCCL's host backend as bench/compare measures it: each call is waited for before the
 * next.
 *
 * Its only interface for host memory is C++.  The address of its store goes from rank 0 to the
 * others through a file in the job's folder, the current one.
 */
#include "library.h"

#include <oneapi/ccl.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <vector>

static std::shared_ptr<ccl::kvs> store;
static std::optional<ccl::communicator> comm;
static std::vector<size_t> counts;

static int variable(const char *name)
{
	const char *text = std::getenv(name);

	if (!text)
		driver_fail("the variable %s is not set: start this driver by mpiexec", name);
	return std::atoi(text);
}

static void publish(const ccl::kvs::address_type &address)
{
	std::FILE *file = std::fopen("store.new", "wb");

	if (!file || std::fwrite(address.data(), 1, address.size(), file) != address.size() ||
	    std::fclose(file) != 0 || std::rename("store.new", "store") != 0)
		driver_fail("cannot write the address of oneCCL's store");
}

static ccl::kvs::address_type published()
{
	ccl::kvs::address_type address;
	std::FILE *file = nullptr;

	while (!(file = std::fopen("store", "rb")))
		usleep(1000);
	if (std::fread(address.data(), 1, address.size(), file) != address.size())
		driver_fail("cannot read the address of oneCCL's store");
	std::fclose(file);
	return address;
}

/* Runs one step of oneCCL; its exceptions become our sentences. */
template <typename Step> static void must(Step step)
{
	try {
		step();
	} catch (const std::exception &error) {
		driver_fail("oneCCL says: %s", error.what());
	}
}

void library_start(struct job *job)
{
	must([&] {
		ccl::init();
		job->rank = variable("PMI_RANK");
		job->nranks = variable("PMI_SIZE");
		if (job->rank == 0) {
			store = ccl::create_main_kvs();
			publish(store->get_address());
		} else {
			store = ccl::create_kvs(published());
		}
		comm.emplace(ccl::create_communicator(job->nranks, job->rank, store));
		ccl::library_version version = ccl::get_library_version();
		std::snprintf(job->version, sizeof job->version, "oneCCL %u.%u.%u", version.major,
			      version.minor, version.update);
	});
}

bool library_memory(struct call *, size_t, size_t)
{
	return false;
}

void library_prepare(const struct call *call)
{
	counts.assign((size_t)call->job->nranks, call->count);
}

void library_call(const struct call *call)
{
	void *send = call->send, *recv = call->recv;
	size_t count = call->count;

	must([&] {
		switch (call->what) {
		case ALLGATHER:
			ccl::allgatherv(send, count, recv, counts, ccl::datatype::uint8, *comm)
				.wait();
			break;
		case REDUCE_SCATTER:
			ccl::reduce_scatter(send, recv, count, ccl::datatype::float32,
					    ccl::reduction::sum, *comm)
				.wait();
			break;
		case ALLREDUCE:
			ccl::allreduce(send, recv, count, ccl::datatype::float32,
				       ccl::reduction::sum, *comm)
				.wait();
			break;
		case BROADCAST:
			ccl::broadcast(recv, count, ccl::datatype::uint8, 0, *comm).wait();
			break;
		case ALLTOALL:
			ccl::alltoall(send, recv, count, ccl::datatype::uint8, *comm).wait();
			break;
		default:
			ccl::barrier(*comm).wait();
		}
	});
}

void library_end(void)
{
	must([] {
		comm.reset();
		store.reset();
	});
}
