// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.host.dev.author;

import org.jspecify.annotations.NullMarked;
