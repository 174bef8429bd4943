import { useLingui } from '@lingui/react/macro';
import { type ReactElement, useRef } from 'react';
import type { PickedFile } from './upload/picked-files.ts';

/** Lets a person choose a folder; browsers return its files with their paths below it. */
export function FolderButton(props: {
  /** What the folder is chosen for. */
  label?: string;
  onPick: (files: PickedFile[]) => void;
  children: (choose: () => void) => ReactElement;
}) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={(element) => {
          input.current = element;
          // React's types do not have this property.
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-label={props.label ?? t`Folder`}
        onChange={(event) => {
          const files = Array.from(event.currentTarget.files ?? [], (file) => ({
            path: file.webkitRelativePath || file.name,
            file,
          }));
          // Allows choosing the same folder again.
          event.currentTarget.value = '';
          if (files.length > 0) props.onPick(files);
        }}
      />
      {props.children(() => input.current?.click())}
    </>
  );
}
