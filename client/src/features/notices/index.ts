export { NoticesList } from './NoticesList.tsx';
