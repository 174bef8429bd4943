import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../../components/copying/copy-button.tsx';
import { useFocusOnArrival } from '../use-focus-on-arrival.ts';

/** New recovery codes, shown only this once: to copy or to save as a file. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useLingui();
  const focus = useFocusOnArrival<HTMLDivElement>();
  const text = `${codes.join('\n')}\n`;
  return (
    <Stack gap="md" ref={focus} tabIndex={-1} style={{ outline: 'none' }}>
      <Alert color="yellow" role="status" title={<Trans>Save these recovery codes</Trans>}>
        <Trans>Each one signs you in once if you do not have the app at hand. They are shown only now.</Trans>
      </Alert>
      <SimpleGrid cols={{ base: 2, sm: 2 }} spacing="xs" component="ul" m={0} p={0}>
        {codes.map((code) => (
          <Text key={code} component="li" style={{ listStyle: 'none' }}>
            <Code>{code}</Code>
          </Text>
        ))}
      </SimpleGrid>
      <Group gap="sm">
        <CopyButton value={text} label={t`Copy the recovery codes`} />
        <Button
          component="a"
          variant="default"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download={t`recovery-codes.txt`}
        >
          <Trans>Download</Trans>
        </Button>
        <Button onClick={onDone}>
          <Trans>I have saved them</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
