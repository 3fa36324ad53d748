import { describe, expect, it } from 'vitest';
import { fromAsideName, toAsideName } from '../../src/git/aside-names.ts';

describe('escaped names of aside files', () => {
  it.each(['sub/.git/HEAD', 'a%41/~b/..c', '.env', 'GIT~1/x', 'plain/Git'])('convert back to %s', (path) => {
    const name = toAsideName(path, false);
    expect(name).not.toMatch(/(^|\/)\.|~/);
    expect(fromAsideName(name)).toEqual({ path, isEmptyFolder: false });
    expect(fromAsideName(toAsideName(path, true))).toEqual({ path, isEmptyFolder: true });
  });

  it.each(['%2Egit/config', '%2EGIT/hooks/x', 'a/%2E%2E/%2E%2E/b', '%2E', 'a%2F..%2Fb', '%00', '%', 'a//b'])(
    'reject %s',
    (name) => {
      expect(fromAsideName(name)).toBeNull();
    },
  );
});
