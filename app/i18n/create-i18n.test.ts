import { I18nProvider, Trans } from '@lingui/react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { createI18n } from './create-i18n.ts';

const HOSTILE = '<script>alert(1)</script> <0/> a<b 1 < 2';

it('a value is shown as it is, even if it contains something like a tag', () => {
  const i18n = createI18n();
  i18n.loadAndActivate({
    locale: 'en-CA',
    messages: { join: ['Join <0>', ['name'], '</0>, ', ['when']] },
  });
  const when = createElement('time', {}, 'now');
  const components = { 0: createElement('bdi') };
  const message = createElement(Trans, { id: 'join', values: { name: HOSTILE, when }, components });
  const html = renderToStaticMarkup(createElement(I18nProvider, { i18n }, message));
  const shown = html.replaceAll('\u2060', '').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  expect(shown).toBe(`Join <bdi>${HOSTILE}</bdi>, <time>now</time>`);
  expect(html).not.toContain('<script>');
  const values = { name: HOSTILE, when: 'now' };
  const texts = [i18n._('join', values), i18n._({ id: 'join', values }), i18n.t('join', values)];
  for (const text of texts) expect(text.replaceAll('\u2060', '')).toBe(`Join <0>${HOSTILE}</0>, now`);
});
