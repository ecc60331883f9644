/** How many rows were forgotten, by table. */
export type Forgotten = Readonly<Record<string, number>>;

export interface Retention {
  /**
   * Forgets what is past its horizon (`retention.ts` has them), at most `limit` rows of each table, so that nobody waits behind
   * it. Called again while any table gave as many.
   */
  forget(query: { readonly now: string; readonly limit: number }): Promise<Forgotten>;
}
