/** Closing what is open beside a list. */
import { go } from '../router.tsx';

/** Goes to the list alone; the focus goes back to the line that was open, else to the screen. */
export function closeBeside(list: string): void {
  const line = document.querySelector<HTMLElement>('.list [aria-current="true"]');
  go(list);
  // A narrow window shows the list only then.
  requestAnimationFrame(() => (line?.isConnected ? line : document.getElementById('main'))?.focus());
}
