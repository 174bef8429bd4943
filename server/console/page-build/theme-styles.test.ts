import { DEFAULT_THEME, MantineProvider, mergeMantineTheme } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { theme } from '#app/theme/theme.ts';
import { stylesOf } from './theme-styles.ts';

/** Without what differs in writing alone. */
const bare = (css: string) => css.replace(/\s+/g, '');

it('the sheet has the variables and classes that the library would write into the page', () => {
  const page = renderToStaticMarkup(createElement(MantineProvider, { theme }));
  const written = Array.from(page.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g), ([, css = '']) => css);
  expect(written).toHaveLength(2);
  expect(bare(stylesOf(mergeMantineTheme(DEFAULT_THEME, theme)))).toBe(bare(written.join('')));
});
