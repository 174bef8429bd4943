import {
  localStorageColorSchemeManager,
  MantineContext,
  type MantineThemeOverride,
  MantineThemeProvider,
  useProviderColorScheme,
} from '@mantine/core';
import type { ReactNode } from 'react';

const schemeManager = localStorageColorSchemeManager();
const getRootElement = () => document.documentElement;

/**
 * MantineProvider without its writing the theme's variables and classes into the page: the build has put them into theme.css, and
 * what computes them would be 3 KB of every first page.
 */
export function ThemeProvider(props: {
  theme: MantineThemeOverride;
  nonce: string | undefined;
  children: ReactNode;
}) {
  const { theme, nonce, children } = props;
  const scheme = useProviderColorScheme({
    manager: schemeManager,
    defaultColorScheme: 'auto',
    forceColorScheme: undefined,
    getRootElement,
  });
  return (
    <MantineContext
      value={{
        ...scheme,
        getRootElement,
        getStyleNonce: nonce ? () => nonce : undefined,
        classNamesPrefix: 'mantine',
        cssVariablesSelector: ':root',
        withStaticClasses: true,
      }}
    >
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  );
}
