import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, Skeleton, Text } from '@mantine/core';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { hasStorage } from '../storage/has-storage.ts';
import { regionName } from '../storage/region-name.ts';
import { useBuckets } from '../storage/use-buckets.ts';
import classes from './checklist.module.css';

/** The organization's buckets with checkboxes and regions; renders nothing without object storage. */
export function BucketChecklist(props: {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  maxHeight: string;
}) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const isOn = hasStorage(organization);
  const buckets = useBuckets(organization.id, isOn);
  if (!isOn) return null;
  const toggle = (id: string, isChecked: boolean) => {
    const next = new Set(props.selected);
    if (isChecked) next.add(id);
    else next.delete(id);
    props.onChange(next);
  };
  const count = props.selected.size;
  // A bucket that is being deleted cannot be selected.
  const offered = buckets.data?.filter(({ status }) => status !== 'deleting');
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>
        <Trans>Storage buckets</Trans>
        {count > 0 && (
          <Text span c="dimmed" size="xs" ml="xs">
            {t`${plural(count, { one: '# selected', other: '# selected' })}`}
          </Text>
        )}
      </legend>
      <div className={classes.list} style={{ maxHeight: props.maxHeight }}>
        {buckets.isPending && (
          <div role="status" aria-label={t`Loading`}>
            <Skeleton height={18} width="50%" />
          </div>
        )}
        {buckets.error && (
          <Text size="sm" c="red" role="alert">
            {describe(buckets.error)}
          </Text>
        )}
        {offered?.length === 0 && (
          <Text size="sm" c="dimmed">
            <Trans>There are no buckets yet.</Trans>
          </Text>
        )}
        {offered?.map((bucket) => (
          <Checkbox
            key={bucket.id}
            size="sm"
            label={
              <>
                {bucket.name}{' '}
                <Text span size="xs" c="dimmed">
                  {regionName(bucket.region)}
                </Text>
              </>
            }
            classNames={{ label: classes.label, body: classes.row }}
            checked={props.selected.has(bucket.id)}
            onChange={(event) => toggle(bucket.id, event.currentTarget.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
