import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Progress, Text } from '@mantine/core';
import type { Bucket } from '#server/services/storage/schema.ts';
import { notifyFailure } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';

/** The progress of emptying a bucket, and an action to stop it for those who may. */
export function EmptyingProgress({ bucket }: { bucket: Bucket }) {
  const { t, i18n } = useLingui();
  const { organization, can } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const stop = trpc.storage.stopEmptyingBucket.useMutation({
    onError: (error) => notifyFailure(describe(error)),
    onSettled: () => utils.storage.invalidate(),
  });
  const { emptying, name } = bucket;
  if (emptying === null) return null;
  const { removed_objects: removed, object_total: total } = emptying;
  const percent = total === 0 ? 100 : Math.min(100, (removed / total) * 100);
  const [done, all] = [i18n.number(removed), i18n.number(total)];
  return (
    <Group gap="xs" justify="space-between" fw={400}>
      <Text size="xs" c="dimmed" span>
        <Trans>
          Emptying: {done} of {all}
        </Trans>
      </Text>
      {can('bucket.manage') && (
        <Button
          size="compact-xs"
          variant="default"
          loading={stop.isPending}
          onClick={() => stop.mutate({ organization_id: organization.id, bucket_id: bucket.id })}
          aria-label={t`Stop emptying ${name}`}
        >
          <Trans>Stop</Trans>
        </Button>
      )}
      <Progress w="100%" size="sm" value={percent} aria-label={t`Emptying of ${name}`} />
    </Group>
  );
}
