import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { formatDate } from '#server/services/shared/date-rules.ts';
import type { Bucket, StoredObject } from '#server/services/storage/schema.ts';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { Facts } from '../../../components/facts.tsx';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { revealDirection } from '../../../i18n/reveal-direction.ts';
import { trpc } from '../../../trpc.ts';
import { ObjectPreview } from './object-preview.tsx';
import { PublicAddress } from './public-address.tsx';
import { ShareForm } from './share-form.tsx';
import { useBucketParams } from './use-bucket-params.ts';
import { useDeleteObjects } from './use-delete-objects.tsx';
import { useDownload } from './use-download.ts';

/** An object: its preview and properties, a link to it, and its deletion. */
export default function ObjectDetails(props: {
  bucket: Bucket;
  objectKey: string;
  /** Why it cannot be deleted. */
  reason: string | null;
  onDone: () => void;
}) {
  const { bucket, objectKey: key, reason, onDone } = props;
  const { t } = useLingui();
  const ofBucket = useBucketParams();
  const describe = useErrorMessage();
  const object = trpc.storage.getObject.useQuery({ ...ofBucket, key });
  const download = useDownload();
  const address = `s3://${bucket.name}/${key}`;
  const removal = useDeleteObjects();

  if (object.isError) {
    return <ErrorNotice onRetry={object.refetch}>{describe(object.error)}</ErrorNotice>;
  }
  if (object.isPending) {
    return (
      <Stack role="status" aria-busy aria-label={t`Loading`}>
        <Skeleton height={200} />
        <Skeleton height={14} width={220} />
        <Skeleton height={14} width={160} />
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <ObjectPreview object={object.data} />
      <Group gap="xs">
        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={download.isPending}
          onClick={() => void download.start(key)}
        >
          <Trans>Download</Trans>
        </Button>
        <ReasonedAction
          reason={reason}
          onAct={() => void removal.remove([{ kind: 'object', key }]).then((isDone) => isDone && onDone())}
        >
          {(action) => (
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              loading={removal.isPending}
              {...action}
            >
              <Trans>Delete</Trans>
            </Button>
          )}
        </ReasonedAction>
      </Group>
      <ObjectFacts object={object.data} />
      <CopyLine value={address} shown={revealDirection(address)} label={t`Copy the S3 address`} />
      {object.data.public_url !== null && <PublicAddress url={object.data.public_url} />}
      <ShareForm objectKey={key} />
    </Stack>
  );
}

function ObjectFacts({ object }: { object: StoredObject }) {
  const { t, i18n } = useLingui();
  const modified = formatDate(object.modified_at, i18n.locale, {
    dateStyle: 'long',
    timeStyle: 'medium',
  });
  const facts = [
    { name: t`Size`, value: formatBytes(object.size, i18n.locale) },
    { name: t`Type`, value: object.content_type },
    { name: t`Modified`, value: `${modified} UTC` },
    { name: t`ETag`, value: object.etag },
    ...(object.part_count === null ? [] : [{ name: t`Parts`, value: i18n.number(object.part_count) }]),
    ...(object.checksum === null ? [] : [{ name: object.checksum.algorithm, value: object.checksum.value }]),
  ];
  return (
    <Stack gap="md">
      <Facts facts={facts} />
      <Named title={t`Headers`} entries={Object.entries(object.headers)} />
      <Named title={t`Metadata`} entries={Object.entries(object.metadata)} />
      <Named title={t`Tags`} entries={object.tags.map(({ key, value }) => [key, value])} />
    </Stack>
  );
}

function Named({ title, entries }: { title: string; entries: readonly (readonly [string, string])[] }) {
  if (entries.length === 0) return null;
  return (
    <section>
      <Title order={3} size="sm" mb="xs">
        {title}
      </Title>
      <Facts facts={entries.map(([name, value]) => ({ name, value }))} />
    </section>
  );
}
