/** Is a value what JSON would give back? A Date, a Map or NaN would come back as something else, without a word. */

/** Deeper than any sensible state; stops a circular one. */
const MAX_DEPTH = 64;

/** The first place that JSON would bend, as a dotted path with what stands there; null: there is none. */
export function notPlainJson(
  value: unknown,
  path: readonly string[] = [],
): { readonly path: string; readonly what: string } | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return null;
  const at = path.join('.');
  if (typeof value !== 'object') return { path: at, what: typeof value === 'number' ? String(value) : typeof value };
  if (path.length >= MAX_DEPTH)
    return { path: path.slice(0, 3).join('.'), what: `nested more than ${MAX_DEPTH} deep, or circular` };
  if (!Array.isArray(value) && !isPlainObject(value))
    return { path: at, what: Object.prototype.toString.call(value).slice('[object '.length, -1) };
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined && !Array.isArray(value)) continue;
    const found = notPlainJson(item, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
