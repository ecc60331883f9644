/** Where the reader is, as the address says it. */

export interface Place {
  /** The path's segments, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** @param address from the path on. */
export function placeOf(address: string): Place {
  const [path = '', query = ''] = address.split('?');
  return {
    path: path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decoded),
    query: new URLSearchParams(query),
  };
}

/** Of this page, now. */
export function addressHere(): string {
  return `${window.location.pathname}${window.location.search}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
