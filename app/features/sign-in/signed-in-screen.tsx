import { Trans } from '@lingui/react/macro';
import { Card, Text } from '@mantine/core';
import { useEffect } from 'react';
import { announceSignIn } from './ended-session.ts';
import { EntryScreen } from './entry-screen.tsx';

/**
 * The end of a sign-in in a separate window: the page that asked for it continues, and this one closes if it
 * may.
 */
export function SignedInScreen() {
  useEffect(() => {
    announceSignIn();
    window.close();
  }, []);
  return (
    <EntryScreen title={<Trans>You are signed in</Trans>}>
      <Card>
        <Text>
          <Trans>You can close this window and continue where you were.</Trans>
        </Text>
      </Card>
    </EntryScreen>
  );
}
