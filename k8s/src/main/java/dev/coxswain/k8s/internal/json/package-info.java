// SPDX-License-Identifier: Apache-2.0
/** Objects from the server as text, of which only a few members are read. */
@NullMarked
package dev.coxswain.k8s.internal.json;

import org.jspecify.annotations.NullMarked;
