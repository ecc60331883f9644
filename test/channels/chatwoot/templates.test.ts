import assert from 'node:assert/strict';
import { templateParams } from '../../../src/channels/chatwoot/template-params.ts';
import { TemplateMessage } from '../../../src/domain/schemas/templates.ts';

describe('a template through Chatwoot', () => {
  const params = (template: object) =>
    templateParams(TemplateMessage.parse({ name: 'visit', language: 'en', ...template }));

  it('is flat where it is a body alone, and in parts where it has more', () => {
    assert.deepEqual(params({ parameters: ['Ana'] }), {
      ...{ name: 'visit', language: 'en' },
      processed_params: { 1: 'Ana' },
    });
    const more = {
      header: { kind: 'image', link: 'https://example.com/a.png' },
      buttons: [{ kind: 'url', index: 1, suffix: '42' }],
    };
    assert.deepEqual(params({ named: { first_name: 'Ana' }, ...more }), {
      ...{ name: 'visit', language: 'en' },
      processed_params: {
        body: { first_name: 'Ana' },
        header: { media_url: 'https://example.com/a.png', media_type: 'image' },
        buttons: [null, { type: 'url', parameter: '42' }],
      },
    });
  });

  it('is refused with what Chatwoot cannot fill in, and not sent without it', () => {
    assert.throws(
      () => params({ buttons: [{ kind: 'reply', index: 0, payload: 'yes' }] }),
      /payload of a reply button/,
    );
  });
});
