import { Trans, useLingui } from '@lingui/react/macro';
import { Code, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StoredObject } from '#server/services/storage/schema.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { fileNameOf } from './key-names.ts';
import classes from './object-details.module.css';
import { PREVIEW_TEXT_BYTES, type Preview, previewOf } from './preview-kind.ts';
import { useBucketParams } from './use-bucket-params.ts';

/**
 * A picture, a PDF or the beginning of a text, read from the storage itself; renders nothing for other types.
 */
export function ObjectPreview({ object }: { object: StoredObject }) {
  const preview = previewOf(object);
  // A replaced object is a different one.
  return preview && <ShownObject key={object.etag} object={object} preview={preview} />;
}

function ShownObject({ object, preview }: { object: StoredObject; preview: Preview }) {
  const ofBucket = useBucketParams();
  const [isBroken, setBroken] = useState(false);
  const { key } = object;
  const signed = trpc.storage.signObject.useQuery(
    { ...ofBucket, key, operation: 'get', disposition: 'inline', content_type: preview.type },
    // Each is valid for an hour; another would load the picture again.
    { staleTime: 50 * 60_000, refetchOnWindowFocus: false },
  );
  const url = signed.data?.urls[0];
  if (signed.isError || isBroken) return <NoPreview />;
  if (url === undefined) return <Skeleton height={200} />;
  switch (preview.kind) {
    case 'image':
      return (
        <img className={classes.picture} src={url} alt={fileNameOf(key)} onError={() => setBroken(true)} />
      );
    case 'pdf':
      return <iframe className={classes.document} src={url} title={fileNameOf(key)} />;
    case 'text':
      return <TextPreview url={url} object={object} />;
  }
}

function NoPreview() {
  return (
    <Text size="sm" c="dimmed" role="status">
      <Trans>The preview cannot be shown.</Trans>
    </Text>
  );
}

function TextPreview({ url, object }: { url: string; object: StoredObject }) {
  const { t, i18n } = useLingui();
  const text = useQuery({
    queryKey: ['object-text', object.key, object.etag],
    queryFn: async ({ signal }) => {
      const response = await fetch(url, { headers: { range: `bytes=0-${PREVIEW_TEXT_BYTES - 1}` }, signal });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      return response.text();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text.isError) return <NoPreview />;
  if (text.isPending) return <Skeleton height={200} />;
  const shown = formatBytes(PREVIEW_TEXT_BYTES, i18n.locale);
  return (
    <div>
      {/* A scrolling region must be reachable by keyboard. */}
      <Code className={classes.text} block tabIndex={0} role="region" aria-label={t`Preview`}>
        {text.data}
      </Code>
      {object.size > PREVIEW_TEXT_BYTES && (
        <Text size="xs" c="dimmed">
          <Trans>Only the first {shown} are shown.</Trans>
        </Text>
      )}
    </div>
  );
}
