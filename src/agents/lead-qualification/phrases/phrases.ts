/** What the agent says, in one language. */
import type { Question } from '../schemas.ts';

export interface Phrases {
  /** Honest from the first line: an automated assistant of this business. */
  hello(business: string): string;
  /** Before a question that comes after an answer. */
  readonly thanks: string;
  readonly noPrices: string;
  readonly passedOn: string;
  isRobot(business: string): string;
  readonly textOnly: string;
  /** Asking the second time: what kind of answer helps. */
  readonly clarify: Readonly<Record<Question['kind'], string>>;
  /** In order; the last one serves for all that come after it. The open question follows. */
  readonly followUps: readonly [string, ...string[]];
  readonly done: string;
  readonly handedOff: string;
  readonly goodbye: string;
  readonly note: {
    readonly person: string;
    readonly done: string;
    readonly gaveUp: string;
    readonly answers: string;
    readonly unclear: string;
    readonly open: string;
    readonly asked: string;
  };
}
