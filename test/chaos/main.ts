/** `npm run chaos -- NAME`: one long trial, its table on standard output; exits 1 when a rule was broken. */
const TRIALS: Readonly<Record<string, () => Promise<boolean>>> = {
  api: async () => (await import('./api.ts')).api(process.argv.slice(3)),
  'crash-loop': async () => (await import('./crash-loop.ts')).crashLoop(),
  events: async () => (await import('./events/events.ts')).events(process.argv.slice(3)),
  'hand-back': async () => (await import('./hand-back.ts')).handBack(),
  investigation: async () => (await import('./investigation.ts')).investigation(),
  'long-life': async () => (await import('./long-life.ts')).longLife(),
  overflow: async () => (await import('./overflow.ts')).overflow(),
  overdue: async () => (await import('./overdue.ts')).overdue(process.argv.slice(3)),
};

const name = process.argv[2] ?? '';
const trial = TRIALS[name];
if (trial === undefined) {
  console.error(`npm run chaos -- ${Object.keys(TRIALS).join(' | ')}`);
  process.exit(2);
}
process.exitCode = (await trial()) ? 0 : 1;
