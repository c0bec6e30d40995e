// SPDX-License-Identifier: Apache-2.0

/**
 * HTTP front end: path grammar, content negotiation, bodies and answers. Confined to the server's
 * event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.http;

import org.jspecify.annotations.NullMarked;
