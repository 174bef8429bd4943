import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  em,
  type MantineTheme,
  type MantineThemeOverride,
  mergeMantineTheme,
  px,
} from '@mantine/core';
import type { Plugin } from 'vite';

type Variables = Record<string, string>;

/** Writes the variables of the theme, and the classes that hide by the width of the window, into app/theme/theme.css. */
export function themeStyles(override: MantineThemeOverride): Plugin {
  return {
    name: 'portage:theme-styles',
    enforce: 'pre',
    transform: {
      filter: { id: /\/app\/theme\/theme\.css$/ },
      handler: () => ({ code: stylesOf(mergeMantineTheme(DEFAULT_THEME, override)), map: null }),
    },
  };
}

/** Returns the styles that MantineProvider would write into each page. */
export function stylesOf(theme: MantineTheme): string {
  return convertCssVariables(changedVariables(theme)) + visibilityClasses(theme);
}

/** The library's sheet has the variables of its own theme. */
function changedVariables(theme: MantineTheme) {
  const ours = defaultCssVariablesResolver(theme);
  const theirs = defaultCssVariablesResolver(DEFAULT_THEME);
  const changed = (all: Variables, known: Variables) =>
    Object.fromEntries(Object.entries(all).filter(([name, value]) => known[name] !== value));
  return {
    variables: changed(ours.variables, theirs.variables),
    dark: changed(ours.dark, theirs.dark),
    light: changed(ours.light, theirs.light),
  };
}

/** For `visibleFrom` and `hiddenFrom`. */
function visibilityClasses(theme: MantineTheme): string {
  const classes = Object.entries(theme.breakpoints).map(([name, width]) => {
    const below = em(Number(px(width)) - 0.1);
    return `@media (max-width: ${below}) { .mantine-visible-from-${name} { display: none !important; } }
@media (min-width: ${em(px(width))}) { .mantine-hidden-from-${name} { display: none !important; } }`;
  });
  return `\n${classes.join('\n')}\n`;
}
