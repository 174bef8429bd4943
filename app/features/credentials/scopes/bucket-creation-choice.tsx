import { useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { useOrganization } from '../../organizations/use-organization.ts';
import { hasStorage } from '../../storage/has-storage.ts';

/** Whether a credential may create buckets; nothing where the organization has no object storage. */
export function BucketCreationChoice(props: { isChosen: boolean; onChange: (isChosen: boolean) => void }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  if (!hasStorage(organization)) return null;
  return (
    <Checkbox
      size="sm"
      label={t`Create buckets by S3`}
      description={t`It has access to the buckets it creates, and can delete the buckets it has access to once they are empty.`}
      checked={props.isChosen}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}
