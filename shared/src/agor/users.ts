import * as v from 'valibot';
import type { User } from '../models/user.ts';
import { snakeCreated, snakeCreatedOf, snakeEntity } from './snake.ts';

export const UserResult = v.object({
  user_id: v.string(),
  username: v.nullable(v.string()),
  email: v.nullable(v.string()),
  avatar_url: v.nullable(v.string()),
  local_owner: v.boolean(),
  created_at: v.string(),
  removed_at: v.nullable(v.string()),
});
export const UserCreatedResult = snakeCreatedOf(UserResult);

export const userResult = (user: User) => snakeEntity('user', user);
export const userCreated = (user: User) => snakeCreated(user.id, userResult(user));
