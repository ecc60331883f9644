/** `npm run bench -- NAME`: one benchmark, its table on standard output. */
const BENCHMARKS: Readonly<Record<string, () => Promise<void>>> = {
  start: async () => (await import('./start.ts')).start(),
  loop: async () => (await import('./loop.ts')).loop(),
  latency: async () => (await import('./latency/latency.ts')).latency(),
  console: async () => (await import('./console.ts')).consoleWithManyRuns(),
  intake: async () => (await import('./intake.ts')).intake(),
  watchers: async () => (await import('./watchers.ts')).watchers(),
  fleet: async () => (await import('./fleet.ts')).fleet(),
};

const name = process.argv[2] ?? '';
const benchmark = BENCHMARKS[name];
if (benchmark === undefined) {
  console.error(`npm run bench -- ${Object.keys(BENCHMARKS).join(' | ')}`);
  process.exit(2);
}
await benchmark();
