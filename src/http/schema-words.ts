/** A JSON schema as people read types: `{id: string, at: string | null, items: […]}`. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
  readonly format?: string;
}

export function typeWords(schema: unknown, indent = ''): string {
  if (typeof schema !== 'object' || schema === null) return 'any';
  return wordsOf(schema, indent);
}

function wordsOf(schema: Schema, indent: string): string {
  const { const: value, enum: values, anyOf, oneOf, allOf, properties, items, prefixItems } = schema;
  if (value !== undefined) return JSON.stringify(value);
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' | ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map((one) => wordsOf(one, indent)))].join(' | ');
  if (allOf !== undefined) return allOf.map((one) => wordsOf(one, indent)).join(' & ');
  if (properties !== undefined) return objectWords(schema, indent);
  if (prefixItems !== undefined) return `[${prefixItems.map((one) => wordsOf(one, indent)).join(', ')}]`;
  if (items !== undefined) return `${typeWords(items, indent)}[]`;
  if (typeof schema.additionalProperties === 'object')
    return `{[name]: ${wordsOf(schema.additionalProperties, indent)}}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
  const format = schema.format === undefined ? '' : ` (${schema.format})`;
  return `${String(type)}${format}${schema.default === undefined ? '' : ` = ${JSON.stringify(schema.default)}`}`;
}

function objectWords({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, one]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${wordsOf(one, inner)}`,
  );
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}
