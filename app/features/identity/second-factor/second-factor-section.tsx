import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';
import { TotpSetup } from './totp-setup.tsx';

type View = 'overview' | 'set-up' | 'new-codes' | 'off';

/** Two-step sign-in of the signed-in person: set up, recovery codes, turn off. */
export function SecondFactorSection() {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const [view, setView] = useState<View>('overview');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const status = useQuery({
    queryKey: ['identity', 'second-factor'],
    queryFn: () => sendToIdentity<'secondFactorSchema'>('GET', '/profile/second-factor'),
  });
  const back = () => {
    setCodes(null);
    setView('overview');
    void status.refetch();
  };
  if (status.error && !status.data) {
    return <ErrorNotice onRetry={status.refetch}>{describe(status.error)}</ErrorNotice>;
  }
  if (!status.data) return <Skeleton height={36} width="60%" />;
  if (codes) return <RecoveryCodes codes={codes} onDone={back} />;
  if (view === 'set-up') return <TotpSetup onCodes={setCodes} onCancel={back} />;
  if (view === 'new-codes') {
    return (
      <SecondFactorForm
        submit={t`Create new recovery codes`}
        onCancel={back}
        send={async (input) => {
          const path = '/profile/second-factor/recovery-codes';
          setCodes((await sendToIdentity<'recoveryCodesSchema'>('POST', path, input)).recovery_codes);
        }}
      />
    );
  }
  if (view === 'off') {
    return (
      <SecondFactorForm
        submit={t`Turn off two-step sign-in`}
        isDestructive
        onCancel={back}
        send={async (input) => {
          await sendToIdentity<'emptyResultSchema'>('POST', '/profile/second-factor/off', input);
          back();
        }}
      />
    );
  }
  if (!status.data.is_on) {
    return (
      <Group>
        <Button variant="default" onClick={() => setView('set-up')}>
          <Trans>Set up two-step sign-in</Trans>
        </Button>
      </Group>
    );
  }
  const left = status.data.recovery_codes_left;
  return (
    <Stack gap="md">
      <Text size="sm">
        {t`${plural(left, {
          one: 'Two-step sign-in is on. # recovery code is left.',
          other: 'Two-step sign-in is on. # recovery codes are left.',
        })}`}
      </Text>
      <Group gap="sm">
        <Button variant="default" onClick={() => setView('new-codes')}>
          <Trans>Create new recovery codes</Trans>
        </Button>
        <Button variant="default" onClick={() => setView('off')}>
          <Trans>Turn off two-step sign-in</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
