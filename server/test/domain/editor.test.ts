import { describe, expect, it } from 'vitest';
import { editorAddress, editorArguments } from '../../src/domain/editor.ts';

const target = { path: '/w/a b; rm $(x)/{line}.ts', line: 7 };

describe('an editor command', () => {
  it.each([
    ['code', ['code', target.path]],
    ['code --goto {path}:{line}', ['code', '--goto', `${target.path}:7`]],
    ['"/opt/my editor" -n', ['/opt/my editor', '-n', target.path]],
    ["emacsclient +{line} '{path}' -a ''", ['emacsclient', '+7', target.path, '-a', '']],
    ['sh -c $HOME', ['sh', '-c', '$HOME', target.path]],
  ])('%s becomes arguments', (template, words) => {
    expect(editorArguments(template, target)).toEqual(words);
  });

  it('is only the path if the setting is empty', () => {
    expect(editorArguments('', { path: '/w', line: 1 })).toEqual(['/w']);
  });
});

describe('an editor address', () => {
  it('contains the encoded path', () => {
    expect(editorAddress('vscode://file{path}:{line}', { path: '/w/a b#?.ts', line: 3 })).toBe(
      'vscode://file/w/a%20b%23%3F.ts:3',
    );
  });
});
