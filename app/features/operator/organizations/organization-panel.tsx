import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { FEATURES } from '#server/services/operator/rules.ts';
import type { OrganizationDetail } from '#server/services/operator/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { SidePanel } from '../../../components/dialogs/side-panel.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Facts } from '../../../components/facts.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import classes from '../operator.module.css';
import { ReasonDialog } from '../reason-dialog.tsx';
import { OrganizationLimits } from './organization-limits.tsx';

/** One organization: its contents, its owners, its features and limits, and the suspension. */
export function OrganizationPanel(props: { id: string | null; mayChange: boolean; onClose: () => void }) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const { id } = props;
  const organization = trpc.operator.organization.useQuery(
    { organization_id: id ?? '' },
    { enabled: id !== null },
  );
  const { data, error } = organization;
  return (
    <SidePanel
      isOpen={id !== null}
      onClose={props.onClose}
      title={data?.name ?? t`Organization`}
      size="lg"
      closeLabel={t`Close`}
    >
      {error ? (
        <ErrorNotice onRetry={organization.refetch}>{describe(error)}</ErrorNotice>
      ) : data ? (
        <Detail organization={data} mayChange={props.mayChange} />
      ) : (
        <Skeleton height={160} />
      )}
    </SidePanel>
  );
}

function Detail({ organization, mayChange }: { organization: OrganizationDetail; mayChange: boolean }) {
  const { i18n, t } = useLingui();
  const { id, suspension_reason: reason, last_deployed_at: lastDeployed } = organization;
  return (
    <Stack gap="lg">
      {organization.suspended_at !== null && (
        <ErrorNotice>
          <Trans>
            Suspended <TimeAgo instant={organization.suspended_at} />: {reason}
          </Trans>
        </ErrorNotice>
      )}
      <Facts
        facts={[
          { name: t`Members`, value: organization.members },
          { name: t`Sites`, value: organization.sites },
          { name: t`Endpoints`, value: organization.endpoints },
          { name: t`Credentials`, value: organization.credentials },
          { name: t`Stored`, value: formatBytes(organization.stored_bytes, i18n.locale) },
          { name: t`Last deployed`, value: lastDeployed === null ? '–' : <TimeAgo instant={lastDeployed} /> },
        ]}
      />
      <div>
        <Text size="sm" fw={500}>
          <Trans>Owners</Trans>
        </Text>
        {organization.owners.map(({ login, full_name: name, email }) => (
          <Text key={login} size="sm" className={classes.words}>
            <bdi>{name || login}</bdi> · {email}
          </Text>
        ))}
        {organization.owners.length === 0 && (
          <Text size="sm" c="dimmed">
            <Trans>No owner</Trans>
          </Text>
        )}
      </div>
      <Features organization={organization} mayChange={mayChange} />
      <OrganizationLimits key={id} organization={organization} mayChange={mayChange} />
      {mayChange && <Suspension organization={organization} />}
    </Stack>
  );
}

function Features({ organization, mayChange }: { organization: OrganizationDetail; mayChange: boolean }) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const set = trpc.operator.setFeatures.useMutation();
  const names: Record<(typeof FEATURES)[number], string> = { object_storage: t`Object storage` };
  const change = async (feature: (typeof FEATURES)[number], isOn: boolean) => {
    const others = organization.features.filter((each) => each !== feature);
    try {
      await set.mutateAsync({
        organization_id: organization.id,
        features: isOn ? [...others, feature] : others,
      });
    } catch (error) {
      notifyFailure(describe(error));
    }
    await utils.operator.organization.invalidate();
  };
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        <Trans>Features</Trans>
      </Text>
      {FEATURES.map((feature) => (
        <Checkbox
          key={feature}
          label={names[feature]}
          disabled={!mayChange || set.isPending}
          checked={organization.features.includes(feature)}
          onChange={(event) => void change(feature, event.currentTarget.checked)}
        />
      ))}
    </Stack>
  );
}

function Suspension({ organization }: { organization: OrganizationDetail }) {
  const { t } = useLingui();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const suspend = trpc.operator.suspend.useMutation();
  const resume = trpc.operator.resume.useMutation();
  const [isAsking, setAsking] = useState(false);
  const { id, name } = organization;
  const refresh = () => utils.operator.invalidate();
  const onResume = async () => {
    try {
      await resume.mutateAsync({ organization_id: id });
      notifySuccess(t`${name} is served again`);
    } catch (error) {
      notifyFailure(describe(error));
    }
    await refresh();
  };
  return (
    <Group>
      {organization.suspended_at === null ? (
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          <Trans>Suspend</Trans>
        </Button>
      ) : (
        <Button variant="default" loading={resume.isPending} onClick={() => void onResume()}>
          <Trans>End the suspension</Trans>
        </Button>
      )}
      {isAsking && (
        <ReasonDialog
          title={t`Suspend ${name}?`}
          explanation={
            <Trans>
              Within a second, nothing it hosts is served any more, and its members cannot change anything.
              Nothing is deleted.
            </Trans>
          }
          readers={t`Shown to the members of the organization.`}
          confirm={t`Suspend`}
          onConfirm={async (reason) => {
            await suspend.mutateAsync({ organization_id: id, reason });
            notifySuccess(t`${name} is suspended`);
            await refresh();
          }}
          onClosed={() => setAsking(false)}
        />
      )}
    </Group>
  );
}
