import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Checkbox, Group } from '@mantine/core';
import type { ObjectEntry } from '#server/services/storage/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import classes from './object-list.module.css';
import { useDeleteObjects } from './use-delete-objects.tsx';

/** Chooses all items of a list or none, and deletes those that are chosen. */
export function ObjectToolbar(props: {
  /** Those that are shown. */
  rows: readonly ObjectEntry[];
  /** Keys, of rows that may no longer be shown. */
  chosen: ReadonlySet<string>;
  hasMore: boolean;
  /** Why nothing can be deleted. */
  reason: string | null;
  onChoose: (entries: readonly ObjectEntry[]) => void;
}) {
  const { rows, chosen, hasMore, reason, onChoose } = props;
  const { t, i18n } = useLingui();
  const removal = useDeleteObjects();
  const selected = rows.filter(({ key }) => chosen.has(key));
  const count = selected.length;
  const areAll = count === rows.length;
  const loaded = i18n.number(rows.length);
  return (
    <Group className={classes.toolbar} gap="sm" justify="space-between">
      <Checkbox
        size="xs"
        label={
          count > 0
            ? t`${plural(count, { one: '# selected', other: '# selected' })}`
            : hasMore
              ? t`Select the ${loaded} shown`
              : t`Select all`
        }
        checked={areAll}
        indeterminate={count > 0 && !areAll}
        onChange={() => onChoose(areAll ? [] : rows)}
      />
      {count > 0 && (
        <ReasonedAction
          reason={reason}
          onAct={() => void removal.remove(selected).then((isDone) => isDone && onChoose([]))}
        >
          {(action) => (
            <Button size="compact-sm" color="red" variant="light" loading={removal.isPending} {...action}>
              <Trans>Delete</Trans>
            </Button>
          )}
        </ReasonedAction>
      )}
    </Group>
  );
}
