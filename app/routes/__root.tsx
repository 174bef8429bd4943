import '@fontsource-variable/geist/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '../theme/global.css';
import '../theme/theme.css';
import font from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url';
import { useLingui } from '@lingui/react/macro';
import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import { createRootRouteWithContext, HeadContent, Outlet, Scripts, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo } from 'react';
import { ConfirmHost } from '../components/dialogs/confirm-host.tsx';
import { FocusKeeper } from '../components/focus/focus-keeper.tsx';
import { NotificationHost } from '../components/notifications/notification-host.tsx';
import { SessionHost } from '../features/sign-in/session-host.tsx';
import { prepareParts } from '../load-part.ts';
import type { RouterContext } from '../router.tsx';
import { theme, withCloseLabel } from '../theme/theme.ts';
import { ThemeProvider } from '../theme/theme-provider.tsx';

/** In the HTML alone: within the body, React passes over what it has not rendered itself. */
const NoScript = import.meta.env.SSR ? (await import('../components/no-script.tsx')).NoScript : null;

export const Route = createRootRouteWithContext<RouterContext>()({
  head: ({ match }) => ({
    meta: [
      { charSet: 'utf-8' },
      { name: 'viewport', content: 'width=device-width, initial-scale=1' },
      { title: match.context.settings.productName },
      { name: 'color-scheme', content: 'light dark' },
    ],
    links: [
      { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
      // Preloaded, it usually arrives before the first paint, so that lines do not break again.
      { rel: 'preload', href: font, as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' },
    ],
  }),
  shellComponent: Document,
  component: Root,
});

/** The document around every page, and around what is shown when one fails. */
function Document({ children }: { children: ReactNode }) {
  const { i18n, t } = useLingui();
  const themed = useMemo(() => withCloseLabel(theme, t`Close`), [t]);
  const { ssr, context } = useRouter().options;
  const nonce = ssr?.nonce;
  return (
    <html
      lang={i18n.locale}
      data-build={context.settings.build}
      {...mantineHtmlProps}
      data-respect-reduced-motion
    >
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} suppressHydrationWarning />
        <HeadContent />
      </head>
      <body>
        {NoScript && <NoScript />}
        <ThemeProvider theme={themed} nonce={nonce}>
          {children}
        </ThemeProvider>
        <Scripts />
      </body>
    </html>
  );
}

function Root() {
  useEffect(prepareParts, []);
  return (
    <>
      <Outlet />
      <FocusKeeper />
      <ConfirmHost />
      <SessionHost />
      <NotificationHost />
    </>
  );
}
