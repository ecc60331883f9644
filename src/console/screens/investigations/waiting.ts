/** The status of what waits for somebody's decision. */
export const WAITING = 'proposed';
