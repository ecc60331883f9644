/** Rates that all processes keep together. */
export interface Limits {
  /** Takes one token of `key`'s bucket; 0 when granted, else milliseconds until one is there. Shared by all processes. */
  take(bucket: { readonly key: string; readonly perSecond: number; readonly burst: number }): Promise<number>;
}
