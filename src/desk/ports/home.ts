/** Where the runs of a desk live. */
export interface Home {
  /** The id of the Temporal namespace in which this desk's runs live: the first that was told, and another only once none is live. */
  namespace(id: string): Promise<string>;
}
