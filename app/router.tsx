import type { I18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { setupRouterSsrQueryIntegration } from '@tanstack/react-router-ssr-query';
import { createIsomorphicFn } from '@tanstack/react-start';
import type { Language } from '#server/services/identity/rules.ts';
import { onServerBack, watchForServer } from './components/lazy-parts/server-watch.ts';
import { ErrorScreen } from './components/page/error-screen.tsx';
import { NotFoundScreen } from './components/page/not-found-screen.tsx';
import { refreshAfterRefusal } from './features/organizations/refresh-after-refusal.ts';
import { setSessionEnded } from './features/sign-in/ended-session.ts';
import { createI18n } from './i18n/create-i18n.ts';
import { isRetriable, isSignedOut } from './i18n/errors/read-error.ts';
import { TEXTS } from './i18n/texts.ts';
import type { ConsoleSettings } from './request-context.ts';
import { routeTree } from './routeTree.gen.ts';
import { createTrpcUtils, TrpcProvider, type TrpcUtils } from './trpc.ts';
import { createCalls, serverRequestContext } from './trpc-client.ts';

/** What every route finds in its context. */
export interface RouterContext {
  queryClient: QueryClient;
  trpc: TrpcUtils;
  i18n: I18n;
  settings: ConsoleSettings;
}

interface PageState {
  locale: Language;
  settings: ConsoleSettings;
}

/** The server takes the page's state from the request; the browser receives it with the page (hydrate). */
const initialState = createIsomorphicFn()
  .server((): { nonce: string | undefined; state: PageState | undefined } => {
    const { nonce, locale, settings } = serverRequestContext();
    return { nonce, state: { locale, settings } };
  })
  .client(() => ({ nonce: followPolicy(), state: undefined }));

/**
 * Has libraries follow the page's Content-Security-Policy, before any schema is made. Returns its nonce, for styles that they add
 * later.
 */
function followPolicy(): string | undefined {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.content;
  // The library that locks scrolling behind a dialog reads the nonce under this name; zod would compile schemas to see whether it may.
  Object.assign(globalThis, { __webpack_nonce__: nonce, __zod_globalConfig: { jitless: true } });
  return nonce;
}

const STALE_MS = 15_000;

/**
 * Builds the router of one page: on the server one for each request, so that nothing is shared between two
 * people.
 */
export async function getRouter() {
  const { nonce, state } = initialState();
  const i18n = createI18n();
  const queryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        refreshAfterRefusal(context.trpc, error, query.queryKey);
        if (isRetriable(error)) watchForServer();
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        refreshAfterRefusal(context.trpc, error);
        if (isSignedOut(error)) setSessionEnded(true);
      },
    }),
    defaultOptions: {
      // In a browser that reports being offline, requests fail as usual instead of waiting silently.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: STALE_MS,
        retry: (count, error) => count < 1 && isRetriable(error),
      },
    },
  });
  // On the server a router lives for one page: there is nothing to come back to.
  if (typeof window !== 'undefined') {
    onServerBack((wasAway) => {
      // What was read before may have changed while the server was away.
      const isWanted = ({ state: { error } }: Query) => wasAway || (!!error && isRetriable(error));
      void queryClient.refetchQueries({ type: 'active', predicate: isWanted });
    });
  }
  const context: RouterContext = {
    queryClient,
    trpc: createTrpcUtils(createCalls(), queryClient),
    i18n,
    settings: state?.settings as ConsoleSettings,
  };
  const activate = (locale: Language) => i18n.loadAndActivate({ locale, messages: TEXTS[locale] });
  if (state) activate(state.locale);

  const router = createRouter({
    routeTree,
    context,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: ErrorScreen,
    defaultNotFoundComponent: NotFoundScreen,
    // Below this a spinner would only flicker.
    defaultPendingMs: 200,
    ssr: { nonce },
    dehydrate: () => ({ locale: i18n.locale as Language, settings: context.settings }),
    hydrate: async (page: PageState) => {
      context.settings = page.settings;
      router.update({ ...router.options, context });
      activate(page.locale);
    },
    Wrap: ({ children }) => (
      <TrpcProvider value={context.trpc}>
        <I18nProvider i18n={i18n}>{children}</I18nProvider>
      </TrpcProvider>
    ),
  });
  setupRouterSsrQueryIntegration({
    router,
    queryClient,
    dehydrateOptions: {
      // What is still loading when the page is sent (next to a part that was already refused) follows when it
      // is answered: if it were announced before, its refusal would be an error of the page. An error loses
      // its type in transit, and with it its text: when a part of a page may fail alone, the browser retries
      // on its own.
      shouldDehydrateQuery: ({ state, meta }) =>
        state.status === 'success' || (state.status === 'error' && meta?.failsAlone !== true),
    },
  });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: Awaited<ReturnType<typeof getRouter>>;
  }
}
