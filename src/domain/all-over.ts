/**
 * As `Promise.all`, but over only when each is: behind an error nothing is still under way, and may meet what was closed
 * meanwhile. @throws what the first that failed threw.
 */
export async function allOver<Result>(doing: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(doing);
  return Promise.all(doing);
}
