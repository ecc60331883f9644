/** A stretch of a list. `nextCursor` asks for the next one; null: this was the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}
