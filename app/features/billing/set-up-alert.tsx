import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Group, Text } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { ButtonLink } from '../../components/links.tsx';
import { useSettings } from '../../use-settings.ts';

/** Says by when billing must be set up, and what happens then. */
export function SetUpAlert(props: { organizationId: string; setUpBy: string; mayManage: boolean }) {
  const { organizationId, setUpBy, mayManage } = props;
  const { billingMode } = useSettings();
  const { i18n } = useLingui();
  const date = formatDate(setUpBy, i18n.locale);
  return (
    <Alert
      color="yellow"
      icon={<IconCreditCard size={18} aria-hidden />}
      role="status"
      mb="lg"
      title={<Trans>Set up billing by {date}</Trans>}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: '1 1 16rem' }}>
          <Trans>
            Usage is billed from now on, and everything keeps working. From that date on, you need a card to
            create sites and endpoints.
          </Trans>{' '}
          {billingMode === 'sandbox' && <Trans>This is a sandbox: no money moves.</Trans>}
        </Text>
        {mayManage && (
          <ButtonLink
            to="/onboarding"
            search={{ return_to: `/${organizationId}` }}
            variant="default"
            size="xs"
          >
            <Trans>Set up billing</Trans>
          </ButtonLink>
        )}
      </Group>
    </Alert>
  );
}
