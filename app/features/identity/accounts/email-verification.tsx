import { Trans } from '@lingui/react/macro';
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { IconCircleCheck, IconMailQuestion } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { useLanguage } from '../../../i18n/language/use-language.ts';
import { useSettings } from '../../../use-settings.ts';
import { sendToIdentity } from '../send-to-identity.ts';
import { useAccount } from './use-account.ts';

const LINE_HEIGHT = 30;

/** Says whether the address of the account is confirmed, and sends the link for that again. */
export function EmailVerification() {
  const { sendsMail } = useSettings();
  const { language } = useLanguage();
  const describe = useErrorMessage();
  const account = useAccount();
  const again = useMutation({
    mutationFn: () => sendToIdentity<'mailLinkResultSchema'>('POST', '/profile/verification', { language }),
    // The link may have been opened meanwhile, in another window.
    onSuccess: () => account.refetch(),
  });
  const sentTo = again.data?.email;
  if (!sendsMail || account.isError) return null;
  if (!account.data) return <Skeleton height={LINE_HEIGHT} width="60%" />;
  if (account.data.email_verified) {
    return (
      <Group gap={6} mih={LINE_HEIGHT} c="green" wrap="nowrap">
        <IconCircleCheck size={18} stroke={1.75} aria-hidden />
        <Text size="sm">
          <Trans>This address is confirmed.</Trans>
        </Text>
      </Group>
    );
  }
  return (
    <>
      <Group gap="xs" mih={LINE_HEIGHT} justify="space-between">
        <Group gap={6} wrap="nowrap" role="status">
          <IconMailQuestion size={18} stroke={1.75} aria-hidden />
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {sentTo ? (
              <Trans>A link was sent to {sentTo}.</Trans>
            ) : (
              <Trans>This address is not confirmed yet.</Trans>
            )}
          </Text>
        </Group>
        <Button
          type="button"
          variant="default"
          size="xs"
          onClick={() => again.mutate()}
          loading={again.isPending}
        >
          <Trans>Send the link again</Trans>
        </Button>
      </Group>
      {again.error && <ErrorNotice>{describe(again.error)}</ErrorNotice>}
    </>
  );
}
