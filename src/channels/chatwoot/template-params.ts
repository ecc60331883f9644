/** A template as Chatwoot wants it: `processed_params` of its API, flat where there is a body alone, as it always was. */
import type { TemplateButton, TemplateHeader, TemplateMessage } from '../../domain/schemas/templates.ts';
import { ChannelError } from '../channel-error.ts';

/** @throws {ChannelError} for what Chatwoot cannot fill in. */
export function templateParams({ name, language, parameters, named, header, buttons }: TemplateMessage): object {
  const body = named ?? Object.fromEntries(parameters.map((text, n) => [String(n + 1), text]));
  const isFlat = header === undefined && buttons === undefined;
  const processed_params = isFlat
    ? body
    : {
        body,
        ...(header !== undefined && { header: headerParams(header) }),
        ...(buttons !== undefined && { buttons: buttonParams(buttons) }),
      };
  return { name, language, processed_params };
}

function headerParams(header: TemplateHeader): object {
  switch (header.kind) {
    case 'text':
      return { [header.name ?? '1']: header.text };
    case 'image':
    case 'video':
      return { media_url: header.link, media_type: header.kind };
    case 'document':
      return {
        media_url: header.link,
        media_type: 'document',
        ...(header.fileName !== undefined && { media_name: header.fileName }),
      };
    case 'location':
      throw unsupported('a location in a header');
  }
}

/** By their place: Chatwoot counts the template's buttons from the first. */
function buttonParams(buttons: readonly TemplateButton[]): (object | null)[] {
  const params: (object | null)[] = Array.from(
    { length: Math.max(0, ...buttons.map(({ index }) => index + 1)) },
    () => null,
  );
  for (const button of buttons) {
    if (button.kind === 'reply') throw unsupported('the payload of a reply button');
    params[button.index] =
      button.kind === 'url' ? { type: 'url', parameter: button.suffix } : { type: 'copy_code', parameter: button.code };
  }
  return params;
}

function unsupported(what: string): ChannelError {
  return new ChannelError({
    failure: 'permanent',
    code: 'unsupported_template',
    message: `Chatwoot cannot fill in ${what} of a template`,
  });
}
