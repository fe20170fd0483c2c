# SPDX-License-Identifier: BSD-3-Clause
"""What bench/compare is made of; docs/comparing.md says how it measures and why."""
