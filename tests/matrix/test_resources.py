"""resources.py sees what is beyond the limits, and nothing else."""
import unittest

import resources

PTX = """
.visible .entry plain(
	.param .u64 plain_param_0
)
{
	ret;
}
.weak .entry _Z5boundILi3EEvPfIXadL_Z1xEEE(
	.param .align 8 .b8 p[16]
)
.maxntid 512
.minnctapersm 2
{
}
"""
LOG = """ptxas info    : 8 bytes gmem
ptxas info    : Compiling entry function '{0}' for 'sm_75'
ptxas info    : Function properties for {0}
    16 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used {1} registers, used 1 barriers, {2} bytes smem, 368 bytes cmem[0]
"""
BOUND = "_Z5boundILi3EEvPfIXadL_Z1xEEE"


def seen(architecture, registers, shared, bounds=(512, 2)):
    return resources.breaches(architecture, {"kernel": bounds}, {"kernel": (registers, shared, 0)})


class Resources(unittest.TestCase):
    def test_reads_launch_bounds(self):
        self.assertEqual(resources.launch_bounds(PTX), {"plain": (1024, 1), BOUND: (512, 2)})
        self.assertEqual(resources.launch_bounds(".entry k()\n.maxntid 32, 2, 1\n{"), {"k": (64, 1)})

    def test_reads_what_ptxas_says(self):
        log = LOG.format("plain", 40, 1000) + LOG.replace(", {2} bytes smem", "").format(BOUND, 64, 0)
        self.assertEqual(resources.used(log), {"plain": (40, 1000, 12), BOUND: (64, 0, 12)})

    def test_holds_what_fits(self):
        self.assertEqual(seen("sm_75", 64, 32 << 10), [])
        self.assertEqual(seen("sm_90", 64, 48 << 10), [])

    def test_sees_registers(self):
        self.assertIn("73728 registers", " ".join(seen("sm_90", 65, 0)))

    def test_sees_shared_memory(self):
        self.assertIn("static shared memory", " ".join(seen("sm_90", 32, (48 << 10) + 1)))
        self.assertIn("multiprocessor of sm_75 has 65536", " ".join(seen("sm_75", 32, (32 << 10) + 1)))

    def test_sees_threads(self):
        self.assertIn("has 1024 threads", " ".join(seen("sm_75", 32, 0, (512, 3))))
        self.assertEqual(seen("sm_80", 32, 0, (512, 3)), [])

    def test_sees_what_is_missing(self):
        self.assertEqual(len(resources.breaches("sm_75", {"kernel": (32, 1)}, {})), 1)
        self.assertEqual(len(resources.breaches("sm_75", {}, {})), 1)


if __name__ == "__main__":
    unittest.main()
