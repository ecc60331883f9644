/** Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once. */
export async function untilAskedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const first = (signal: NodeJS.Signals) => {
      for (const name of STOPPING) {
        process.off(name, first);
        process.once(name, () => process.exit(130));
      }
      resolve(signal);
    };
    for (const name of STOPPING) process.on(name, first);
  });
}

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
