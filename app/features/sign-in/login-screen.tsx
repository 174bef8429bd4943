import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Card, Stack } from '@mantine/core';
import { useHash } from '@mantine/hooks';
import { Suspense } from 'react';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';
import { useSettings } from '../../use-settings.ts';
import { EntryScreen } from './entry-screen.tsx';

const SignInFailure = lazyPart(() => import('./sign-in-failure.tsx'), { isQuiet: true });

/** The signed-out screen: welcome, one button, a link to register, and the terms. */
export function LoginScreen({ returnTo, error }: { returnTo?: string; error?: string }) {
  const { productName, links } = useSettings();
  // The browser does not send the part after #, but keeps it across the redirect: it belongs to the return
  // path.
  const [hash] = useHash();
  const search = returnTo ? `?return_to=${encodeURIComponent(withHash(returnTo, hash))}` : '';
  return (
    <EntryScreen
      hasShowcase
      title={<Trans>Welcome to {productName}</Trans>}
      subtitle={<Trans>Sign in to deploy sites, see them live, and roll back in one click.</Trans>}
      aside={
        links.signUp === null ? (
          <Trans>New here? Ask the operator of {productName} for an account.</Trans>
        ) : (
          <Trans>
            New here?{' '}
            <Anchor href={links.signUp} underline="always">
              Create an account
            </Anchor>
          </Trans>
        )
      }
    >
      <Card>
        <Stack gap="md">
          {error && (
            <Suspense>
              <SignInFailure code={error} />
            </Suspense>
          )}
          <Button component="a" href={`/auth/login${search}`} size="md" fullWidth>
            <Trans>Sign in</Trans>
          </Button>
        </Stack>
      </Card>
    </EntryScreen>
  );
}

function withHash(address: string, hash: string): string {
  return address.includes('#') ? address : `${address}${hash}`;
}
