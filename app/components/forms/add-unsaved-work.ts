import { unsavedWork } from './unsaved-work.ts';

/**
 * Makes the page keep work that is not typed, as it keeps what is typed: it is unsaved whenever `isUnsaved` returns true. Returns
 * a function that ends it. First pages have no such work, and do not load this.
 */
export function addUnsavedWork(isUnsaved: () => boolean): () => void {
  const work = {
    isConnected: true,
    get value() {
      return isUnsaved() ? 'unsaved' : '';
    },
  };
  unsavedWork.add(work);
  return () => void unsavedWork.delete(work);
}
