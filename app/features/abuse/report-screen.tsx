import { Trans } from '@lingui/react/macro';
import { Button, Card, Code, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSettings } from '../../use-settings.ts';
import { useFocusOnArrival } from '../identity/use-focus-on-arrival.ts';
import { EntryScreen } from '../sign-in/entry-screen.tsx';
import { ReportForm } from './report-form.tsx';

/** Accepts a report from anyone, signed in or not, and returns a reference number. */
export function ReportScreen({ address }: { address: string | undefined }) {
  const { productName } = useSettings();
  const [receipt, setReceipt] = useState<string | null>(null);
  if (receipt !== null) return <Received id={receipt} onAgain={() => setReceipt(null)} />;
  return (
    <EntryScreen
      title={<Trans>Report abuse</Trans>}
      subtitle={
        <Trans>Tell the operator of {productName} about a site that causes harm. Every report is read.</Trans>
      }
    >
      <Card>
        <ReportForm address={address} onReceived={setReceipt} />
      </Card>
    </EntryScreen>
  );
}

function Received({ id, onAgain }: { id: string; onAgain: () => void }) {
  const focus = useFocusOnArrival<HTMLDivElement>();
  return (
    <EntryScreen title={<Trans>Thank you</Trans>}>
      <Card>
        <Stack gap="md" ref={focus} tabIndex={-1} role="status" style={{ outline: 'none' }}>
          <Text>
            <Trans>The operator has received your report and will review it.</Trans>
          </Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <Trans>
              Reference number: <Code>{id}</Code>
            </Trans>
          </Text>
          <Button variant="default" size="md" onClick={onAgain}>
            <Trans>Report something else</Trans>
          </Button>
        </Stack>
      </Card>
    </EntryScreen>
  );
}
