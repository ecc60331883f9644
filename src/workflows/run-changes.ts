/**
 * Rules that came when runs were already asleep. A history recorded before keeps to the old one; it is asked only where the
 * two differ, so that no other history grows.
 */
export type Change =
  /** While an end's own effects are being finished, a person's stop and a customer's message are heard. */
  | 'ending-hears'
  /** A hand-off or a close goes ahead of messages that are held back. */
  | 'hand-off-goes-ahead'
  /** What goes ahead of messages keeps its order among itself, and gives up those before it alone. */
  | 'goes-ahead-in-turn'
  /** A customer who writes takes back what is held back for long, not what waits a moment. */
  | 'ending-finishes-its-words'
  /** After a day of `ending` what is held back has failed, and the rest is done. */
  | 'ending-gives-up-in-parts'
  /** Whoever takes over while the end is being recorded is recorded too. */
  | 'late-takeover-is-recorded'
  /** What the provider took and did not bring, for a trouble that passes, goes out again. */
  | 'undelivered-goes-again'
  /** A run that goes on sleeping tells the desk what it has taken back, and not only with its next tick. */
  | 'taken-back-is-told'
  /** What was asked of a run over Temporal alone it tells the desk. */
  | 'asked-is-told'
  /** What waits in the queue when it overflows is not read from the desk again, also where its id was forgotten. */
  | 'overflow-knows-its-queue';

/** Temporal's `patched`; in tests of the state alone everything is new. */
export type Patched = (change: Change) => boolean;
