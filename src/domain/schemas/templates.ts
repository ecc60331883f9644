/** A message that a provider has approved beforehand, with what is filled in: the only kind it takes when the window has closed. */
import { z } from 'zod';

/** WhatsApp's own bounds (Cloud API reference, "Template object"). */
const text = z.string().min(1).max(1_024);
const link = z
  .url({ protocol: /^https$/, error: 'must be an https:// address that the provider can fetch' })
  .max(2_048);
const ParameterName = z
  .string()
  .regex(/^[a-z0-9_]{1,60}$/, { error: 'must be lower-case letters, digits and _, as the template names it' });

export const TemplateHeader = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text, name: ParameterName.optional() }),
  z.strictObject({ kind: z.enum(['image', 'video']), link }),
  z.strictObject({ kind: z.literal('document'), link, fileName: z.string().min(1).max(240).optional() }),
  z.strictObject({
    kind: z.literal('location'),
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    name: text,
    address: text,
  }),
]);
export type TemplateHeader = z.infer<typeof TemplateHeader>;

/** `index`: place among the template's buttons, from 0. */
const at = { index: z.int().min(0).max(9) };
export const TemplateButton = z.discriminatedUnion('kind', [
  /** What comes back in `content.id` when it is tapped. */
  z.strictObject({ kind: z.literal('reply'), ...at, payload: z.string().min(1).max(128) }),
  /** What is put at the end of its address. */
  z.strictObject({ kind: z.literal('url'), ...at, suffix: z.string().min(1).max(2_000) }),
  z.strictObject({ kind: z.literal('copyCode'), ...at, code: z.string().min(1).max(15) }),
]);
export type TemplateButton = z.infer<typeof TemplateButton>;

export const TemplateMessage = z
  .strictObject({
    name: z.string().min(1).max(512),
    /** As it was approved: `pt_BR`. */
    language: z.string().regex(/^[A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{2,8})*$/, {
      error: 'must be a language of templates such as pt_BR or en',
    }),
    /** As it was approved. Marketing is not sent to whoever has stopped marketing messages. */
    category: z.enum(['marketing', 'utility', 'authentication']).optional(),
    /** Of the body, in the order of its {{1}}, {{2}}. */
    parameters: z.array(z.string().max(1_024)).max(20).default([]),
    /** Of a body whose parameters have names: {{first_name}}. Instead of `parameters`. */
    named: z.record(ParameterName, text).optional(),
    header: TemplateHeader.optional(),
    /** Only the buttons that need something filled in. */
    buttons: z.array(TemplateButton).max(10).optional(),
  })
  .check(({ value: { parameters, named, buttons = [] }, issues }) => {
    if (parameters.length > 0 && named !== undefined)
      issues.push(wrong(['named'], 'may not stand beside parameters: a template has names or numbers', named));
    for (const [n, { index }] of buttons.entries())
      if (buttons.findIndex((other) => other.index === index) < n)
        issues.push(wrong(['buttons', n, 'index'], `names button ${index} a second time`, index));
  });
export type TemplateMessage = z.infer<typeof TemplateMessage>;

function wrong(path: PropertyKey[], message: string, input: unknown) {
  return { code: 'custom' as const, path, message, input };
}
