/** Values that a JSON schema allows, for fast-check: as far as the schemas of our own OpenAPI document go. */
import fc from 'fast-check';

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

const DAY_MS = 86_400_000;
const instants = fc
  .constantFrom(-30 * DAY_MS, -60_000, 60_000, DAY_MS, 400 * DAY_MS)
  .map((later) => new Date(Date.now() + later).toISOString());

export interface Words {
  /** What a text without a form of its own may be. */
  readonly any: fc.Arbitrary<string>;
  /** Of these, one with a form of its own may be what fits. */
  readonly known: readonly string[];
  /** By the name of a member or parameter: what it usually is. */
  readonly usual: Readonly<Record<string, readonly string[]>>;
}

export function valueOf(schema: JsonSchema, words: Words): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(choice, words)));
  if (typeof schema.type === 'object')
    return fc.oneof(...schema.type.map((type) => valueOf({ ...schema, type }, words)));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, words);
    case 'array': {
      const { items = {}, minItems: minLength = 0, maxItems = 3 } = schema;
      return fc.array(valueOf(items, words), { minLength, maxLength: Math.max(minLength, Math.min(maxItems, 3)) });
    }
    case 'string':
      return textOf(schema, words);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 1_000_000) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** As {@link valueOf}, and nearly always what is usual under this name. */
export function namedValueOf(name: string, schema: JsonSchema, words: Words): fc.Arbitrary<unknown> {
  const usual = words.usual[name];
  if (usual === undefined || schema.type !== 'string') return valueOf(schema, words);
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: valueOf(schema, words) },
  );
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema, words: Words) {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  // Two at most: of many, one would nearly always be wrong.
  const known = fc.subarray(optional, { maxLength: Math.min(2, optional.length) }).chain((chosen) =>
    fc.record(
      Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => required.includes(name) || chosen.includes(name))
          .map(([name, of]) => [name, namedValueOf(name, of, words)]),
      ),
    ),
  );
  if (typeof additionalProperties !== 'object') return known;
  const others = fc.dictionary(words.any, valueOf(additionalProperties, words), { maxKeys: 2 });
  return fc.tuple(known, others).map(([named, more]) => ({ ...more, ...named }));
}

function textOf({ format, pattern }: JsonSchema, { any, known }: Words): fc.Arbitrary<string> {
  if (format === 'date-time') return instants;
  if (pattern === undefined) return any;
  const form = new RegExp(pattern);
  const fitting = known.filter((word) => form.test(word));
  const familiar = fitting.length === 0 ? any : fc.constantFrom(...fitting);
  return fc.oneof({ weight: 8, arbitrary: familiar }, { weight: 1, arbitrary: any });
}
