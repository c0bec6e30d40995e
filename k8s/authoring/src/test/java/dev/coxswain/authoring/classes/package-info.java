// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.authoring.classes;

import org.jspecify.annotations.NullMarked;
