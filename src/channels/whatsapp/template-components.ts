/** A template as the Cloud API wants it. Source: "Messages" and "Template messages", Cloud API reference. */
import type { TemplateButton, TemplateHeader, TemplateMessage } from '../../domain/schemas/templates.ts';

export function templateBody({
  name,
  language,
  parameters,
  named = {},
  header,
  buttons = [],
}: TemplateMessage): object {
  const texts = [
    ...parameters.map((text) => ({ type: 'text', text })),
    ...Object.entries(named).map(([parameter_name, text]) => ({ type: 'text', parameter_name, text })),
  ];
  const components = [
    ...(header === undefined ? [] : [{ type: 'header', parameters: [headerParameter(header)] }]),
    ...(texts.length === 0 ? [] : [{ type: 'body', parameters: texts }]),
    ...buttons.map(buttonComponent),
  ];
  return { name, language: { code: language }, ...(components.length > 0 && { components }) };
}

function headerParameter(header: TemplateHeader): object {
  switch (header.kind) {
    case 'text':
      return { type: 'text', ...(header.name !== undefined && { parameter_name: header.name }), text: header.text };
    case 'image':
    case 'video':
      return { type: header.kind, [header.kind]: { link: header.link } };
    case 'document': {
      const { link, fileName: filename } = header;
      return { type: 'document', document: { link, ...(filename !== undefined && { filename }) } };
    }
    case 'location': {
      const { latitude, longitude, name, address } = header;
      return { type: 'location', location: { latitude, longitude, name, address } };
    }
  }
}

/** Meta wants the index as text. */
function buttonComponent(button: TemplateButton): object {
  const component = (sub_type: string, parameter: object) => ({
    type: 'button',
    sub_type,
    index: String(button.index),
    parameters: [parameter],
  });
  switch (button.kind) {
    case 'reply':
      return component('quick_reply', { type: 'payload', payload: button.payload });
    case 'url':
      return component('url', { type: 'text', text: button.suffix });
    case 'copyCode':
      return component('copy_code', { type: 'coupon_code', coupon_code: button.code });
  }
}
