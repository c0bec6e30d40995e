// SPDX-License-Identifier: Apache-2.0
/** The road of an author: projects, plug-ins and their commands. */
@NullMarked
package dev.coxswain.host.e2e.author;

import org.jspecify.annotations.NullMarked;
