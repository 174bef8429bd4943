import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Group, Text } from '@mantine/core';
import { IconCreditCard } from '@tabler/icons-react';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { ButtonLink } from '../../components/links.tsx';
import { trpc } from '../../trpc.ts';
import { useSettings } from '../../use-settings.ts';
import { useMemberships } from '../organizations/memberships-provider.tsx';

/**
 * Tells organizations that existed before billing was turned on by when they must set it up; renders nothing
 * for others.
 */
export function SetUpNotice() {
  const { billingMode } = useSettings();
  const { membership } = useMemberships();
  const organizationId = membership?.organization.id ?? '';
  const { data: status } = trpc.billing.status.useQuery(
    { organization_id: organizationId },
    { enabled: billingMode !== 'off' && membership !== null, retry: false },
  );
  const { i18n } = useLingui();
  if (status?.readiness !== 'grace' || status.set_up_by === null) return null;
  const date = formatDate(status.set_up_by, i18n.locale);
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
        {status.may_manage && (
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
