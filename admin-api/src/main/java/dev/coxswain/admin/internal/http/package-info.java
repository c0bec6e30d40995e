// SPDX-License-Identifier: Apache-2.0
/**
 * One HTTP request and its response: endpoints with the rights they require, query, body, media
 * types, revisions, paths and headers, and calls to controllers.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.http;

import org.jspecify.annotations.NullMarked;
